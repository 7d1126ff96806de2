/** Command lines, read strictly, and what is wrong with one said in a line: for every command of the launcher. */
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from './nearest.ts';

/** What was typed and is not taken, and what is. */
export class WrongUse extends Error {}

/** As `parseArgs`, in our words. Throws `WrongUse`. */
export function readArguments<Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw new WrongUse(inWords(error as NodeJS.ErrnoException, Object.keys(config.options ?? {})));
  }
}

function inWords({ code, message }: NodeJS.ErrnoException, options: string[]): string {
  // Node names what it means in quotes: '--name', '--name <value>', '-h, --help', or the word that is too many.
  const [named = ''] = /(?<=')-[^' ,]+/.exec(message) ?? [];
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION':
      return `there is no ${named}${didYouMean(
        named,
        [...options, 'help'].map((option) => `--${option}`),
      )}`;
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      return `takes no ${JSON.stringify(/'(.*)'\./s.exec(message)?.[1])}`;
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE':
      if (message.includes('does not take')) return `${named} takes no value`;
      return `${named} takes a value; write one that begins with a dash as ${named}=-…`;
    default:
      return message;
  }
}

/** `; did you mean org?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearest(word, known);
  return meant === null ? '' : `; did you mean ${meant}?`;
}
