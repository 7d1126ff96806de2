/** Rows that one call looks through at most, where no index knows what is asked for. */
export const STRETCH_ROWS = 5_000;
/** Of these, read in one go: on SQLite nothing else happens meanwhile. */
export const WINDOW_ROWS = 500;
