/**
 * The four answers of a verification (docs/spec.md §38): each by itself, never one bare "valid". Page, PDF, command line and offline file
 * show these sentences as they stand here.
 */

/** `fails`: something does not fit. `not_shown`: nothing that was given shows it. */
export type AnswerState = 'holds' | 'fails' | 'not_shown';

export interface Answer {
  state: AnswerState;
  /** Why, closed: a new reason is a new code. */
  code: AnswerCode;
  /** Plain text; what others wrote in it is made visible. */
  text: string;
  /** What the reader may do; empty where there is nothing to do. */
  advice: string;
}

export interface Answers {
  /** `nothing`: there was no receipt. */
  about: 'receipt' | 'export' | 'nothing';
  integrity: Answer;
  inclusion_and_completeness: Answer;
  time: Answer;
  identity: Answer;
}

/** In their order, with their titles. */
export const ANSWER_TITLES = [
  ['integrity', 'Integrity'],
  ['inclusion_and_completeness', 'Inclusion and completeness'],
  ['time', 'Time'],
  ['identity', 'Identity'],
] as const;

export type AnswerCode =
  // integrity
  | 'unchanged'
  | 'reformatted'
  | 'altered'
  | 'chain_holds'
  | 'chain_broken'
  // inclusion and completeness
  | 'no_proof'
  | 'no_checkpoint'
  | 'not_a_proof'
  | 'not_a_checkpoint'
  | 'another_place'
  | 'another_organization'
  | 'not_included'
  | 'included'
  | 'complete'
  | 'beyond_checkpoint'
  | 'tail_missing'
  | 'another_history'
  | 'checkpoint_not_signed'
  | 'cosignature_broken'
  | 'quorum_not_reached'
  | 'tail_cut_off'
  | 'history_rewritten'
  | 'not_consistent'
  // time
  | 'stated'
  | 'too_few_witnesses'
  | 'witnessed'
  // identity
  | 'nobody_signed'
  | 'no_key'
  | 'cannot_check_signatures'
  | 'bad_signature'
  | 'another_key'
  | 'another_log'
  | 'key_beside'
  | 'expected_key'
  // all four
  | 'nothing_to_verify';

export const holds = (code: AnswerCode, text: string, advice = ''): Answer => ({ state: 'holds', code, text, advice });
export const fails = (code: AnswerCode, text: string, advice = ''): Answer => ({ state: 'fails', code, text, advice });
export const notShown = (code: AnswerCode, text: string, advice = ''): Answer => ({
  state: 'not_shown',
  code,
  text,
  advice,
});

/** Of no receipt. */
export function nothingToVerify(): Answers {
  const nothing = notShown('nothing_to_verify', 'Nothing to verify: there is no receipt.');
  return {
    about: 'nothing',
    integrity: nothing,
    inclusion_and_completeness: nothing,
    time: nothing,
    identity: nothing,
  };
}

/** Whether any of the four fails, or there was nothing. */
export function isBroken(answers: Answers): boolean {
  return answers.about === 'nothing' || ANSWER_TITLES.some(([name]) => answers[name].state === 'fails');
}
