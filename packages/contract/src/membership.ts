/** What a membership costs and how long it lasts (docs/spec.md §19). */
export const ANNUAL_MEMBERSHIP_USD = '100.00';
export const MEMBERSHIP_DAYS = 365;
