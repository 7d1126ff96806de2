/** Drafts that were left unpublished, for as long as this tab is not loaded anew: going elsewhere loses nothing. */
import type { Draft } from './draft.ts';
import type { Submission } from './submission.ts';

interface Kept {
  draft: Draft;
  submission: Submission;
}

const kept = new Map<string, Kept>();

export function keptDraft(name: string): Kept | undefined {
  return kept.get(name);
}

export function keepDraft(name: string, draft: Kept): void {
  kept.set(name, draft);
}

export function forgetDraft(name: string): void {
  kept.delete(name);
}
