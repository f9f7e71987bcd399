import type { KubeObject } from '@/lib/kube/object';
import type { Facts } from '@/test/replay/facts/facts';

/** Members that differ; null for one that is gone. */
export type Changes = Readonly<Record<string, string | null>>;

/** The facts of one object at one moment, when one of them has changed. */
export interface Row {
  input: string;
  /** Of the input: the number of its line, and the seconds or the mark. */
  at: string;
  /** The object. */
  of: string;
  /** What the golden file says; null where the object is not there. */
  facts: Facts | null;
}

/** What there was at the moment of a row. */
export interface RowScene {
  /** Those of the row's namespace. */
  objects: readonly KubeObject[];
  /** Facts tell times in seconds since then. */
  startMs: number;
  nowMs: number;
}

/** What a golden file says wrong, and what is right instead. */
export interface Correction {
  name: string;
  /** Where it is proven: a page, a file of a controller, a recording. */
  source: string;
  /** How many rows it covers, by input; `late argo/19-blue-green` where that golden file has another number. */
  rows: Readonly<Record<string, number>>;
  applies: (row: Row, scene: () => RowScene) => boolean;
  /**
   * The members that are wrong. Absent: those of the row in `corrected/`, where a rule of many rows says which of them change,
   * and the values were frozen with it.
   */
  right?: (facts: Facts | null, row: Row, scene: () => RowScene) => Changes;
}

/** A line of a golden file; null where the object is gone. */
export type GoldenLine = readonly [at: string, of: string, changes: Changes | null];

/** Only an event changes these. */
const settledStates = new Set(['complete', 'paused', 'idle', 'completed', 'rolledBack', 'disabled']);
const nothing: RowScene = { objects: [], startMs: 0, nowMs: 0 };

/** Compares the facts of one input with its golden file, moment by moment, by the corrections. */
export class Judge {
  /** A line for each fault: "input, moment, object, member: golden → now". */
  readonly faults: string[] = [];
  readonly #input: string;
  readonly #set: string;
  readonly #corrections: readonly Correction[];
  readonly #corrected: ReadonlyMap<string, Changes>;
  readonly #unheard = new Map<string, Changes | null>();
  readonly #golden = new Map<string, Facts>();
  readonly #now = new Map<string, Facts>();
  readonly #covered = new Map<Correction, number>();

  /** `set`: the name of the golden file; `corrected`: the lines of the one in `corrected/`. */
  constructor(
    input: string,
    golden: readonly GoldenLine[],
    corrections: readonly Correction[],
    set = '',
    corrected: readonly GoldenLine[] = [],
  ) {
    this.#corrected = new Map(corrected.map(([at, of, changes]) => [`${at}\n${of}`, changes ?? {}]));
    this.#input = input;
    this.#set = set;
    this.#corrections = corrections;
    for (const [at, of, changes] of golden) this.#unheard.set(`${at}\n${of}`, changes);
  }

  /** Whether time alone may have changed what was heard of an object, or the golden file has a line of it now. */
  isOpen(at: string, of: string): boolean {
    return !settledStates.has(this.#now.get(of)?.state ?? '') || this.#unheard.has(`${at}\n${of}`);
  }

  /** The facts of an object now; null when it is gone. */
  hear(at: string, of: string, now: Facts | null, scene: () => RowScene = () => nothing): void {
    const before = this.#now.get(of) ?? null;
    const changes = changesBetween(before, now);
    const golden = this.#unheard.get(`${at}\n${of}`);
    if (golden === undefined && isEmpty(changes)) return;
    this.#unheard.delete(`${at}\n${of}`);
    set(this.#now, of, now);
    if (golden !== undefined)
      set(this.#golden, of, golden === null ? null : apply(this.#golden.get(of) ?? {}, golden));
    this.#compare({ input: this.#input, at, of, facts: this.#golden.get(of) ?? null }, now, scene);
  }

  /** After the last moment. */
  end(): void {
    for (const key of this.#unheard.keys())
      this.faults.push(`${this.#input}, ${key.replace('\n', ', ')}: no longer there`);
    for (const correction of this.#corrections) {
      const covered = this.#covered.get(correction) ?? 0;
      const wanted = correction.rows[`${this.#set} ${this.#input}`] ?? correction.rows[this.#input] ?? 0;
      if (covered !== wanted)
        this.faults.push(`${this.#input}: "${correction.name}" covers ${covered} rows instead of ${wanted}`);
    }
  }

  #compare(row: Row, now: Facts | null, scene: () => RowScene): void {
    const right: Record<string, string | null> = {};
    const place = `${row.input}, ${row.at}, ${row.of}`;
    const frozen = this.#corrected.get(`${row.at}\n${row.of}`);
    let isFrozen = false;
    for (const correction of this.#corrections) {
      if ((correction.right === undefined && frozen === undefined) || !correction.applies(row, scene))
        continue;
      this.#covered.set(correction, (this.#covered.get(correction) ?? 0) + 1);
      isFrozen ||= correction.right === undefined;
      for (const [member, value] of Object.entries(correction.right?.(row.facts, row, scene) ?? {})) {
        const golden = row.facts?.[member] ?? null;
        if (member in right && right[member] !== value)
          this.faults.push(`${place}, ${member}: two corrections disagree: ${right[member]} and ${value}`);
        else if (value === golden)
          this.faults.push(`${place}, ${member}: "${correction.name}" corrects nothing`);
        right[member] = value;
      }
    }
    // Frozen with the other rules in place: one that is about the state of the golden file knows no other state.
    if (isFrozen) Object.assign(right, frozen);
    const wanted = Object.keys(right).length === 0 ? row.facts : apply(row.facts ?? {}, right);
    for (const [member, value] of Object.entries(changesBetween(wanted, now) ?? { '(all)': 'gone' })) {
      const golden = wanted?.[member] ?? '(nothing)';
      const corrected = member in right ? ' by a correction' : '';
      this.faults.push(`${place}, ${member}: ${golden}${corrected} → ${value ?? '(nothing)'}`);
    }
  }
}

/** Null: it is gone. */
function changesBetween(before: Facts | null, after: Facts | null): Changes | null {
  if (after === null) return before === null ? {} : null;
  const changes: Record<string, string | null> = {};
  for (const member of Object.keys(before ?? {})) if (after[member] === undefined) changes[member] = null;
  for (const [member, value] of Object.entries(after))
    if (before?.[member] !== value) changes[member] = value;
  return changes;
}

function apply(facts: Facts, changes: Changes): Facts {
  const kept = Object.entries({ ...facts, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(kept) as Facts;
}

function isEmpty(changes: Changes | null): boolean {
  return changes !== null && Object.keys(changes).length === 0;
}

function set(map: Map<string, Facts>, of: string, facts: Facts | null): void {
  if (facts === null) map.delete(of);
  else map.set(of, facts);
}
