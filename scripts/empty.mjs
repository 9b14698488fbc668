/** Stands in for a package that is only needed while developing. */
export default {};
