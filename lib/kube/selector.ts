import { AppError } from '@/lib/errors';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

type Labels = Readonly<Record<string, string>>;

/** Conditions that all must hold. */
export type Selector = readonly Requirement[];

type Requirement =
  | { key: string; operator: 'exists' | 'absent' }
  | { key: string; operator: 'in' | 'notIn'; values: readonly string[] }
  | { key: string; operator: 'above' | 'below'; value: bigint };

type Token = { text: string; symbol: boolean; at: number };

const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Parses a selector as `kubectl -l` does: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`. The empty text
 * selects everything. Throws {@link AppError} `bad_request` on anything else.
 * https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export function parseSelector(text: string): Selector {
  if (text.trim() === '') return [];
  return new Parser(text).requirements();
}

/** Whether the labels meet every requirement; a missing label meets `!=` and `notin`, too. */
export function matchesSelector(selector: Selector, labels: Labels): boolean {
  return selector.every((requirement) => matchesRequirement(requirement, labels));
}

/** What no labels meet. */
const NOTHING: Requirement = { key: '', operator: 'in', values: [] };

/**
 * Parses a `LabelSelector` object. An empty one selects everything; a missing one, and one with an unknown
 * operator, select nothing.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/label-selector/
 */
export function parseLabelSelector(selector: Json | undefined): Selector {
  if (!isJsonObject(selector)) return [NOTHING];
  const labels = isJsonObject(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  const expressions = Array.isArray(selector.matchExpressions) ? selector.matchExpressions : [];
  return [
    ...labels.map(([key, value]) => inValues(key, [value])),
    ...expressions.map((expression) => (isJsonObject(expression) ? parseExpression(expression) : NOTHING)),
  ];
}

function parseExpression(expression: JsonObject): Requirement {
  const { key } = expression;
  if (typeof key !== 'string') return NOTHING;
  const values = Array.isArray(expression.values) ? expression.values : [];
  switch (expression.operator) {
    case 'In':
      return inValues(key, values);
    case 'NotIn':
      return { ...inValues(key, values), operator: 'notIn' };
    case 'Exists':
      return { key, operator: 'exists' };
    case 'DoesNotExist':
      return { key, operator: 'absent' };
    default:
      return NOTHING;
  }
}

function inValues(
  key: string,
  values: readonly (Json | undefined)[],
): { key: string; operator: 'in'; values: string[] } {
  return { key, operator: 'in', values: values.filter((value) => typeof value === 'string') };
}

function matchesRequirement(requirement: Requirement, labels: Labels): boolean {
  const value = labelOf(labels, requirement.key);
  switch (requirement.operator) {
    case 'exists':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notIn':
      return value === undefined || !requirement.values.includes(value);
    case 'above':
      return value !== undefined && isInteger(value) && BigInt(value) > requirement.value;
    case 'below':
      return value !== undefined && isInteger(value) && BigInt(value) < requirement.value;
  }
}

function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function isInteger(text: string): boolean {
  return /^-?\d+$/.test(text);
}

class Parser {
  readonly #text: string;
  readonly #tokens: Token[];
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.matchAll(/\s+|([!=]=|[(),!=<>])|([^\s(),!=<>]+)/g)].flatMap((match) => {
      const [all, symbol] = match;
      return all.trim() === '' ? [] : [{ text: all, symbol: symbol !== undefined, at: match.index }];
    });
  }

  requirements(): Requirement[] {
    const requirements = [this.#requirement()];
    while (this.#consume(',')) requirements.push(this.#requirement());
    if (this.#peek() !== undefined) this.#fail('a comma or the end');
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#consume('!')) return { key: this.#key(), operator: 'absent' };
    const key = this.#key();
    const token = this.#peek();
    if (token === undefined || (token.symbol && token.text === ',')) return { key, operator: 'exists' };
    this.#next += 1;
    if (!token.symbol) {
      if (token.text === 'in') return { key, operator: 'in', values: this.#values() };
      if (token.text === 'notin') return { key, operator: 'notIn', values: this.#values() };
    }
    switch (token.symbol ? token.text : '') {
      case '=':
      case '==':
        return { key, operator: 'in', values: [this.#value()] };
      case '!=':
        return { key, operator: 'notIn', values: [this.#value()] };
      case '>':
        return { key, operator: 'above', value: this.#integer() };
      case '<':
        return { key, operator: 'below', value: this.#integer() };
      default:
        this.#next -= 1;
        return this.#fail('one of = == != in notin > <');
    }
  }

  #key(): string {
    const token = this.#peek();
    if (token === undefined || token.symbol) return this.#fail('a label key');
    const slash = token.text.indexOf('/');
    const prefix = slash === -1 ? null : token.text.slice(0, slash);
    const isPrefixed = prefix === null || (prefix.length <= 253 && PREFIX.test(prefix));
    if (!isPrefixed || !NAME.test(token.text.slice(slash + 1))) return this.#fail('a label key');
    this.#next += 1;
    return token.text;
  }

  /** No text at all is the empty value. */
  #value(): string {
    const token = this.#peek();
    if (token === undefined || token.symbol) return '';
    if (!NAME.test(token.text)) return this.#fail('a label value');
    this.#next += 1;
    return token.text;
  }

  #values(): string[] {
    if (!this.#consume('(')) this.#fail('an opening bracket');
    const values = [this.#value()];
    while (this.#consume(',')) values.push(this.#value());
    if (!this.#consume(')')) this.#fail('a closing bracket');
    return values;
  }

  #integer(): bigint {
    const token = this.#peek();
    if (token === undefined || !isInteger(token.text)) return this.#fail('a whole number');
    this.#next += 1;
    return BigInt(token.text);
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  #consume(symbol: string): boolean {
    const token = this.#peek();
    if (token?.symbol !== true || token.text !== symbol) return false;
    this.#next += 1;
    return true;
  }

  #fail(expected: string): never {
    const token = this.#peek();
    const found = token === undefined ? 'the end' : `“${token.text}” at position ${token.at + 1}`;
    throw new AppError(
      'bad_request',
      `“${this.#text}” is not a valid label selector: found ${found}, expected ${expected}.`,
      {
        field: 'labelSelector',
      },
    );
  }
}
