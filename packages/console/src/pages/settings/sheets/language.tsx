/** What an expression can use. */
const NAMES = [
  ['submission', 'the output: text, or JSON with its members, as in submission.total'],
  ['inputs', 'what the Run was opened with, and inputs.flight_sheet'],
  ['evidence', 'a list; each item has kind, label, sha256, content_type and byte_size'],
] as const;

const FUNCTIONS = [
  ['list.all(x, …), list.exists(x, …)', 'every item holds, or at least one'],
  ['list.map(x, …), list.filter(x, …)', 'another list'],
  ['sum(list), distinct(list), size(x)', 'exact decimal sum, each item once, length'],
  ['within(a, b, tolerance)', 'a and b differ by at most the tolerance, in exact decimals'],
  ['round(x, places), abs(x)', 'to that many decimal places, without its sign'],
  ['text.contains(…), text.matches(r"…")', 'a part of a text, a pattern (RE2)'],
  ['has(submission.note)', 'whether a member is there'],
  ['a && b, a || b, !a, a ? b : c, a in list', 'as in most languages'],
] as const;

export function Language() {
  return (
    <details className="more language">
      <summary>What an expression can use</summary>
      <p className="muted">
        An expression is{' '}
        <a href="https://cel.dev" target="_blank" rel="noreferrer">
          CEL
        </a>{' '}
        and comes out as true or false. It sees no clock and no network, and its work is bounded.
      </p>
      {[NAMES, FUNCTIONS].map((list) => (
        <dl key={list[0][0]}>
          {list.map(([code, words]) => (
            <div key={code} className="language-row">
              <dt>
                <code>{code}</code>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      ))}
    </details>
  );
}
