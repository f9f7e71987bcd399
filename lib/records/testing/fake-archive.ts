import {
  emptyMemory,
  type RecorderMemory,
  type Observation,
  type ObservationResult,
} from '@/lib/records/observation';
import { observe } from '@/lib/records/observe';
import type { ArchivedActivation, ArchivedRevision } from '@/lib/api/incarnation';
import type { RolloutRecord } from '@/lib/api/record';
import { restoreMemory } from '@/lib/records/restore-memory';
import {
  type SimulatedAction,
  incarnation,
  type SimulationOptions,
  tools,
  SimulatedWorkload,
} from '@/lib/records/testing/simulated-workload';

/** What an archive would hold: the last value under each key. */
export class FakeArchive {
  readonly activations = new Map<number, ArchivedActivation>();
  readonly records = new Map<string, RolloutRecord>();
  readonly revisions = new Map<string, ArchivedRevision>();
  memory: RecorderMemory = emptyMemory;

  save({ memory, changes }: ObservationResult): void {
    this.memory = memory;
    for (const revision of changes.revisions) this.revisions.set(revision.id, revision);
    for (const activation of changes.activations) this.activations.set(activation.index, activation);
    for (const record of changes.records) this.records.set(record.id, record);
  }

  observe(observation: Observation): void {
    this.save(observe(this.memory, observation, tools));
  }

  /** The process dies, and another one restores the archive. */
  restart(): void {
    const activations = [...this.activations.values()];
    const record = this.records.get(tools.recordId(incarnation, activations.length));
    if (this.memory.incarnation === null) return;
    this.memory = restoreMemory(incarnation, [...this.revisions.values()], activations, record ?? null);
  }

  get recordList(): RolloutRecord[] {
    return [...this.records.values()].sort((a, b) => a.activation - b.activation);
  }
}

/** A state as observed since a given time. */
export type ObservationAt = (since: string, lostAt: string | null) => Observation;

/** All states of a scenario. */
export function statesOf(actions: readonly SimulatedAction[], rules: SimulationOptions): ObservationAt[] {
  return statesIn(new SimulatedWorkload(rules), actions);
}

export function statesIn<Action>(
  workload: { apply(action: Action): void; observe(since: string, lostAt: string | null): Observation },
  actions: readonly Action[],
): ObservationAt[] {
  const states = [snapshot(workload)];
  for (const next of actions) {
    workload.apply(next);
    states.push(snapshot(workload));
  }
  return states;
}

function snapshot(workload: Pick<SimulatedWorkload, 'observe'>): ObservationAt {
  const seen = structuredClone(workload.observe('', null));
  return (since: string, lostAt: string | null): Observation => ({ ...seen, watch: { since, lostAt } });
}
