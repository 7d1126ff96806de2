/** Members that the request bodies of several lanes share. */
import { z } from 'zod';
import { Line, Prose } from '../wire.ts';

/** Where the organization wants the minted receipt mailed. Never sealed: addresses stay off public pages. */
export const notify = z.array(z.email().max(254)).max(20).optional();

/** The agent that did the work, as its execution names it. */
export const agent = { agent_name: Line.optional(), model_name: Line.optional(), provider: Line.optional() };

/** A name without spaces that other systems use as a key: `llama-3.1-8b`, `acme/support-chat`. */
export const Name = Line.max(200);

/** Numbers people measure: finite and far from where doubles lose whole units. */
export const Measure = z.number().min(-1e12).max(1e12);

/** An absent text is the empty text. */
export const optionalProse = Prose.default('');

/** The declared agent of an execution, without the members that were not declared. */
export function declaredAgent(execution: { agent_name?: string | undefined; model_name?: string | undefined }): {
  name?: string;
  model?: string;
} {
  return {
    ...(execution.agent_name ? { name: execution.agent_name } : {}),
    ...(execution.model_name ? { model: execution.model_name } : {}),
  };
}
