/** Stands for the team of runs that share threads and memory with no other team, so that one may use all of them. */
export const NO_TEAM = "";
