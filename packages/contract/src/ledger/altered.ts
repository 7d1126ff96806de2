/** Ends the refusal `evidence_altered`; the console has a button in its place. */
export const HOW_TO_SEE_ALTERED = 'To look at them all the same, ask with ?altered=serve.';
