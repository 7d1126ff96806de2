/**
 * What can be known of an expression before there is a submission: every name exists, every call has a function of
 * that many arguments and fitting types, and the whole can come out as true or false. JSON values are of any type.
 */
import type { CelFunc, CelType, parse } from '@bufbuild/cel';
import { APPEND, RANGE, STEP } from './functions.ts';
import type { Meter } from './meter.ts';
import { compilePattern, costOfCompiling } from './pattern.ts';

export type Expression = NonNullable<ReturnType<typeof parse>['expr']>;

/** `at` is the id of the part that is wrong; the parser knows its position. */
export class ExpressionError extends Error {
  readonly at: bigint;
  constructor(at: bigint, message: string) {
    super(message);
    this.name = 'ExpressionError';
    this.at = at;
  }
}

/** A CEL scalar, `list`, `map`, or `dyn` for what only the submission decides. */
type Kind = string;
type Scope = ReadonlyMap<string, Kind>;
type Functions = ReadonlyMap<string, readonly CelFunc[]>;

const VARIABLES: Scope = new Map([
  ['submission', 'dyn'],
  ['inputs', 'map'],
  ['evidence', 'list'],
]);
const TYPE_NAMES = new Set(['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']);
const MAX_DEPTH = 250;

/** Throws `ExpressionError`, and `CostLimitExceeded` for the patterns it compiles. */
export function checkExpression(expr: Expression, functions: Functions, compiling: Meter): void {
  const kind = kindOf(expr, { functions, scope: VARIABLES, depth: 0, compiling });
  if (kind !== 'bool' && kind !== 'dyn')
    throw new ExpressionError(expr.id, `the rule comes out as ${kind}, not as true or false`);
}

interface Place {
  functions: Functions;
  scope: Scope;
  depth: number;
  compiling: Meter;
}

function kindOf(expr: Expression, place: Place): Kind {
  if (place.depth > MAX_DEPTH) throw new ExpressionError(expr.id, 'the expression nests too deeply');
  const inside = { ...place, depth: place.depth + 1 };
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'constExpr':
      return constantKind(exprKind.value.constantKind.case);
    case 'identExpr':
      return nameKind(expr.id, exprKind.value.name, place.scope);
    case 'selectExpr':
      return selectKind(expr.id, exprKind.value, inside);
    case 'listExpr':
      for (const element of exprKind.value.elements) kindOf(element, inside);
      return 'list';
    case 'structExpr':
      return structKind(expr.id, exprKind.value, inside);
    case 'callExpr':
      return callKind(expr.id, exprKind.value, inside);
    case 'comprehensionExpr':
      return comprehensionKind(expr.id, exprKind.value, inside);
    default:
      throw new ExpressionError(expr.id, 'the expression is incomplete');
  }
}

type Value<Case extends Expression['exprKind']['case']> = Extract<
  Expression['exprKind'],
  { case: Case; value: unknown }
>['value'];

function constantKind(kind: string | undefined): Kind {
  const kinds: Record<string, Kind> = { int64Value: 'int', uint64Value: 'uint', nullValue: 'null_type' };
  return kinds[kind ?? ''] ?? (kind ?? 'dyn').replace('Value', '');
}

function nameKind(at: bigint, name: string, scope: Scope): Kind {
  const bare = name.replace(/^\./, '');
  const kind = scope.get(bare);
  if (kind) return kind;
  if (TYPE_NAMES.has(bare)) return 'type';
  throw new ExpressionError(at, `unknown name '${name}': rules see submission, inputs and evidence`);
}

function selectKind(at: bigint, select: Value<'selectExpr'>, place: Place): Kind {
  const kind = select.operand ? kindOf(select.operand, place) : 'dyn';
  if (kind !== 'dyn' && kind !== 'map') throw new ExpressionError(at, `a ${kind} has no member '${select.field}'`);
  return select.testOnly ? 'bool' : 'dyn';
}

function structKind(at: bigint, struct: Value<'structExpr'>, place: Place): Kind {
  if (struct.messageName !== '') throw new ExpressionError(at, `unknown type '${struct.messageName}'`);
  for (const { keyKind, value } of struct.entries) {
    if (keyKind.case === 'mapKey') kindOf(keyKind.value, place);
    if (value) kindOf(value, place);
  }
  return 'map';
}

function comprehensionKind(at: bigint, loop: Value<'comprehensionExpr'>, place: Place): Kind {
  const { iterRange, accuInit, loopCondition, loopStep, result } = loop;
  if (!iterRange || !accuInit || !loopCondition || !loopStep || !result || loop.iterVar2) {
    throw new ExpressionError(at, 'this kind of loop is not supported');
  }
  const range = kindOf(iterRange, place);
  if (!['dyn', 'list', 'map'].includes(range)) throw new ExpressionError(iterRange.id, `cannot go through a ${range}`);
  const accu = kindOf(accuInit, place);
  const outer = new Map(place.scope).set(loop.accuVar, accu);
  const inner = { ...place, scope: new Map(outer).set(loop.iterVar, 'dyn') };
  kindOf(loopCondition, inner);
  kindOf(loopStep, inner);
  return kindOf(result, { ...place, scope: outer });
}

function callKind(at: bigint, call: Value<'callExpr'>, place: Place): Kind {
  const target = call.target ? [kindOf(call.target, place)] : [];
  const args = call.args.map((arg) => kindOf(arg, place));
  switch (call.function) {
    case '_&&_':
    case '_||_':
      for (const [index, kind] of args.entries())
        mustBeBool(kind, call.args[index]?.id ?? at, call.function.slice(1, 3));
      return 'bool';
    case '_?_:_':
      mustBeBool(args[0] ?? 'dyn', call.args[0]?.id ?? at, '?:');
      return args[1] === args[2] ? (args[1] ?? 'dyn') : 'dyn';
    case '_[_]':
      return 'dyn';
    case '@not_strictly_false':
      return 'bool';
    case 'matches':
      mustCompile(call.args.at(-1), place.compiling);
      return resultKind(at, 'matches', target, args, place.functions);
    default:
      return resultKind(at, call.function, target, args, place.functions);
  }
}

function mustBeBool(kind: Kind, at: bigint, operator: string): void {
  if (kind !== 'bool' && kind !== 'dyn')
    throw new ExpressionError(at, `${operator} needs true or false, this is ${kind}`);
}

/** A pattern written in the sheet is wrong before there is a submission. */
function mustCompile(pattern: Expression | undefined, compiling: Meter): void {
  if (pattern?.exprKind.case !== 'constExpr') return;
  const { constantKind } = pattern.exprKind.value;
  if (constantKind.case !== 'stringValue') return;
  compiling.charge(costOfCompiling(constantKind.value));
  try {
    compilePattern(constantKind.value);
  } catch (error) {
    throw new ExpressionError(pattern.id, (error as Error).message);
  }
}

function resultKind(at: bigint, name: string, target: Kind[], args: Kind[], functions: Functions): Kind {
  const named = name === STEP || name === RANGE || name === APPEND ? undefined : functions.get(name);
  if (!named) throw new ExpressionError(at, `unknown function '${readable(name)}'`);
  const counted = named.filter(
    (f) => f.arguments.length === args.length && (f.target !== undefined) === target.length > 0,
  );
  if (counted.length === 0) {
    throw new ExpressionError(at, `'${readable(name)}' does not take ${args.length} arguments here`);
  }
  const fitting = counted.filter((f) =>
    [f.target, ...f.arguments].filter((type) => type !== undefined).every(fits([...target, ...args])),
  );
  if (fitting.length === 0)
    throw new ExpressionError(at, `'${readable(name)}' does not take ${[...target, ...args].join(', ')}`);
  const results = new Set(fitting.map((f) => kindOfType(f.result)));
  return results.size === 1 ? ([...results][0] ?? 'dyn') : 'dyn';
}

function fits(kinds: Kind[]): (type: CelType, index: number) => boolean {
  return (type, index) => {
    const [wanted, kind] = [kindOfType(type), kinds[index]];
    return wanted === 'dyn' || kind === 'dyn' || wanted === kind;
  };
}

function kindOfType(type: CelType): Kind {
  return type.kind === 'list' || type.kind === 'map' ? type.kind : type.name;
}

/** `_+_` → `+`. */
export function readable(name: string): string {
  return name.replace(/^[_@!-]*([^\w@]+)_?$/, '$1').replaceAll('_', name.includes('_[') ? '' : '_');
}
