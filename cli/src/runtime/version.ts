/** Version of the command line, for display; kept equal to package.json's by a test. */
export const VERSION = "0.11.0";
