/** One CEL expression of a sheet: parsed, checked, metered, and then decided on any number of submissions. */
import { type CelFunc, type CelValue, celEnv, isCelError, parse, plan } from '@bufbuild/cel';
import { checkExpression, type Expression, ExpressionError, readable } from './check-expression.ts';
import { APPEND, costOfCall, RANGE, STEP, sheetFunctions } from './functions.ts';
import { CostLimitExceeded, type Meter } from './meter.ts';

/** 1-based line and column, 0-based offset, in UTF-16 units. */
export interface Position {
  offset: number;
  line: number;
  column: number;
}

export interface ExpressionFault {
  message: string;
  position: Position;
}

export interface Facts {
  submission: CelValue;
  inputs: CelValue;
  evidence: CelValue;
}

/** `undecided` says why the expression has no value on these facts. */
export type Decided = { value: boolean } | { undecided: string };

type Language = ReturnType<typeof celEnv>;

/** Of the longest that parses: an empty list in three characters. */
const CHARACTER_COST = 5;
/** Brackets within brackets; the parser is recursive. */
const MAX_NESTING = 50;

/** CEL with this project's functions, every call of which is counted on the meter. */
export function language(meter: Meter): Language {
  const standard = celEnv({ funcs: sheetFunctions(meter) });
  const find = (name: string) => {
    const group = standard.funcs.find(name);
    if (!group) return undefined;
    const call: CelFunc['call'] = (id, target, args) => {
      meter.charge(costOfCall(name, target === undefined ? args : [target, ...args], meter.left));
      const result = group.call(id, target, args);
      // A function's own exception arrives as a value; running out of budget must not be absorbed by `||`.
      if (isCelError(result) && result.cause instanceof CostLimitExceeded) throw result.cause;
      return result;
    };
    return Object.create(group, { call: { value: call } }) as typeof group;
  };
  const funcs = Object.create(standard.funcs, { find: { value: find } }) as Language['funcs'];
  return Object.create(standard, { funcs: { value: funcs } }) as Language;
}

/** Throws nothing: an expression that does not compile is a fault with its position. */
export function compileExpression(
  source: string,
  cel: Language,
  compiling: Meter,
): { decide(facts: Facts): Decided } | { fault: ExpressionFault } {
  const deep = tooDeep(source);
  if (deep !== null)
    return { fault: { message: 'the expression nests too deeply', position: positionAt(source, deep) } };
  let positions: { [id: string]: number } = {};
  try {
    compiling.charge(CHARACTER_COST * source.length);
    const parsed = parse(source);
    positions = parsed.sourceInfo?.positions ?? {};
    if (!parsed.expr) throw new Error('the expression is empty');
    checkExpression(parsed.expr, functionsByName(cel), compiling);
    const run = plan(cel, metered(parsed.expr));
    return { decide: (facts) => decide(run({ ...facts }), source, positions) };
  } catch (error) {
    return { fault: faultOf(error, source, positions) };
  }
}

function decide(result: unknown, source: string, positions: { [id: string]: number }): Decided {
  if (typeof result === 'boolean') return { value: result };
  if (!isCelError(result)) return { undecided: `it comes out as ${describe(result)}, not as true or false` };
  if (result.cause instanceof CostLimitExceeded) return { undecided: 'exceeds the cost limit' };
  const offset = positions[String(result.exprId ?? '')];
  const reason = validationMessage(result.message);
  return { undecided: offset === undefined ? reason : `${reason} (${place(positionAt(source, offset))})` };
}

function validationMessage(message: string): string {
  return message
    .replace(
      /^found no matching overload for '(.+)' applied to '(.*)'$/,
      (_, name, given) => `'${readable(name)}' does not take ${given}`,
    )
    .replace(/^index (.*) out of bounds \[0, -1\)$/, 'there is no item $1')
    .replace(/^field not found: /, 'there is no member ');
}

function place({ line, column }: Position): string {
  return line === 1 ? `column ${column}` : `line ${line}, column ${column}`;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'object') return 'a list or map';
  return typeof value === 'string' ? 'a text' : 'a number';
}

function faultOf(error: unknown, source: string, positions: { [id: string]: number }): ExpressionFault {
  if (error instanceof CostLimitExceeded)
    return { message: 'the sheet costs more to compile than it may, from here on', position: positionAt(source, 0) };
  if (error instanceof ExpressionError) {
    return { message: error.message, position: positionAt(source, positions[String(error.at)] ?? 0) };
  }
  const syntax = error as { rawMessage?: string; message?: string; location?: { start: Position } };
  return {
    message: syntax.rawMessage ?? syntax.message ?? 'not a CEL expression',
    position: positionAt(source, syntax.location?.start.offset ?? 0),
  };
}

export function positionAt(source: string, offset: number): Position {
  const before = source.slice(0, offset).split('\n');
  return { offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The offset at which brackets nest too deeply; brackets within texts count too, which only ever refuses more. */
function tooDeep(source: string): number | null {
  let depth = 0;
  for (let offset = 0; offset < source.length; offset++) {
    const char = source[offset] as string;
    if ('([{'.includes(char) && ++depth > MAX_NESTING) return offset;
    if (')]}'.includes(char)) depth -= 1;
  }
  return null;
}

const BY_NAME = new WeakMap<Language, Map<string, CelFunc[]>>();

function functionsByName(cel: Language): Map<string, CelFunc[]> {
  const known = BY_NAME.get(cel) ?? Map.groupBy(cel.funcs, (func) => func.name);
  BY_NAME.set(cel, known);
  return known;
}

/** The same expression with its loops counted: each range by its length, each step by the parts it evaluates. */
function metered(expr: Expression): Expression {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'selectExpr': {
      const { operand } = exprKind.value;
      return operand
        ? { ...expr, exprKind: { ...exprKind, value: { ...exprKind.value, operand: metered(operand) } } }
        : expr;
    }
    case 'callExpr': {
      const { target, args } = exprKind.value;
      const value = { ...exprKind.value, args: args.map(metered), ...(target ? { target: metered(target) } : {}) };
      return { ...expr, exprKind: { ...exprKind, value } };
    }
    case 'listExpr':
      return {
        ...expr,
        exprKind: { ...exprKind, value: { ...exprKind.value, elements: exprKind.value.elements.map(metered) } },
      };
    case 'structExpr': {
      const entries = exprKind.value.entries.map((entry) => ({
        ...entry,
        keyKind:
          entry.keyKind.case === 'mapKey' ? { ...entry.keyKind, value: metered(entry.keyKind.value) } : entry.keyKind,
        ...(entry.value ? { value: metered(entry.value) } : {}),
      }));
      return { ...expr, exprKind: { ...exprKind, value: { ...exprKind.value, entries } } };
    }
    case 'comprehensionExpr': {
      const loop = exprKind.value;
      const [range, condition, step] = [loop.iterRange, loop.loopCondition, loop.loopStep] as [
        Expression,
        Expression,
        Expression,
      ];
      const value = {
        ...loop,
        iterRange: call(range, RANGE, [metered(range)]),
        loopCondition: call(condition, STEP, [metered(condition), int(condition, partsOf(condition) + partsOf(step))]),
        loopStep: metered(growing(step)),
      };
      return { ...expr, exprKind: { ...exprKind, value } };
    }
    default:
      return expr;
  }
}

/** `@result + [item]` → `@append(@result, item)`, also under the condition of `filter`. */
function growing(step: Expression): Expression {
  if (step.exprKind.case !== 'callExpr') return step;
  const { function: name, args } = step.exprKind.value;
  if (name === '_?_:_') {
    const [condition, then, otherwise] = args as [Expression, Expression, Expression];
    return call(step, name, [condition, growing(then), otherwise]);
  }
  const [list, added] = args;
  const isAccumulator = list?.exprKind.case === 'identExpr' && list.exprKind.value.name.startsWith('@');
  const [item, ...more] = added?.exprKind.case === 'listExpr' ? added.exprKind.value.elements : [];
  return name === '_+_' && list && isAccumulator && item && more.length === 0 ? call(step, APPEND, [list, item]) : step;
}

/** How many parts one evaluation touches; an inner loop counts itself. */
function partsOf(expr: Expression): number {
  const { exprKind } = expr;
  const sum = (parts: (Expression | undefined)[]) =>
    parts.reduce((total, part) => total + (part ? partsOf(part) : 0), 1);
  switch (exprKind.case) {
    case 'selectExpr':
      return sum([exprKind.value.operand]);
    case 'callExpr':
      return sum([exprKind.value.target, ...exprKind.value.args]);
    case 'listExpr':
      return sum(exprKind.value.elements);
    case 'structExpr':
      return sum(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      );
    case 'comprehensionExpr':
      return sum([exprKind.value.iterRange, exprKind.value.accuInit, exprKind.value.result]);
    default:
      return 1;
  }
}

function call(at: Expression, name: string, args: Expression[]): Expression {
  return { ...at, exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } } };
}

function int(at: Expression, value: number): Expression {
  const constant = {
    $typeName: 'cel.expr.Constant' as const,
    constantKind: { case: 'int64Value' as const, value: BigInt(value) },
  };
  return { ...at, exprKind: { case: 'constExpr', value: constant } };
}
