/** The few colours that mean something, and the marks that say the same without colour. */
export type Tone = 'good' | 'caution' | 'bad' | 'neutral' | 'accent';
export type StatusIconName = 'tick' | 'warning' | 'cross' | 'ring' | 'dash' | 'half';
