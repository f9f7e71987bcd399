import { emptyMemory, type Memory, type Observation, type Observed } from '@/lib/ledger/observation';
import { observe } from '@/lib/ledger/observe';
import { type ArchivedActivation, type ArchivedRevision, type RolloutRecord } from '@/lib/ledger/record';
import { restoreMemory } from '@/lib/ledger/restore';
import { type Deed, life, type Rules, tools, World } from '@/lib/ledger/testing/world';

/** What an archive would hold: the last value under each key. */
export class Kept {
  readonly activations = new Map<number, ArchivedActivation>();
  readonly records = new Map<string, RolloutRecord>();
  readonly revisions = new Map<string, ArchivedRevision>();
  memory: Memory = emptyMemory;

  take({ memory, changes }: Observed): void {
    this.memory = memory;
    for (const revision of changes.revisions) this.revisions.set(revision.id, revision);
    for (const activation of changes.activations) this.activations.set(activation.index, activation);
    for (const record of changes.records) this.records.set(record.id, record);
  }

  see(observation: Observation): void {
    this.take(observe(this.memory, observation, tools));
  }

  /** The process dies, and another one knows what was kept. */
  restart(): void {
    const activations = [...this.activations.values()];
    const record = this.records.get(tools.recordId(life, activations.length));
    if (this.memory.life === null) return;
    this.memory = restoreMemory(life, [...this.revisions.values()], activations, record ?? null);
  }

  get list(): RolloutRecord[] {
    return [...this.records.values()].sort((a, b) => a.activation - b.activation);
  }
}

/** A state as somebody sees it who has looked on since a moment. */
export type State = (since: string, lost: string | null) => Observation;

/** All states of a story. */
export function statesOf(deeds: readonly Deed[], rules: Rules): State[] {
  return statesIn(new World(rules), deeds);
}

export function statesIn<D>(
  world: { do(deed: D): void; look(since: string, lost: string | null): Observation },
  deeds: readonly D[],
): State[] {
  const states = [snapshot(world)];
  for (const next of deeds) {
    world.do(next);
    states.push(snapshot(world));
  }
  return states;
}

function snapshot(world: Pick<World, 'look'>): State {
  const seen = structuredClone(world.look('', null));
  return (since: string, lost: string | null): Observation => ({ ...seen, watch: { since, lost } });
}
