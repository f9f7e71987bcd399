import type { Position } from '@/lib/oam/states';
import { type Transition, transitions } from '@/lib/oam/transitions';

/** The state machine as a Mermaid diagram with a table below, for docs/oam-rollout.md. */
export function renderTransitions(): string {
  return [
    '```mermaid',
    'stateDiagram-v2',
    '  [*] --> locatingTargetApp',
    '  state rollingInBatches {',
    '    [*] --> batchInitializing',
    ...singleTransitions
      .filter(isInside)
      .map((arrow) => `    ${arrow.fromBatch ?? ''} --> ${arrow.toBatch}: ${arrow.event}`),
    '  }',
    ...singleTransitions
      .filter((arrow) => !isInside(arrow))
      .map((arrow) => `  ${edgeOf(arrow)}: ${arrow.event}`),
    ...mergedTransitions.map(({ arrow }) => `  ${arrow.from} --> ${arrow.to}: ${arrow.event}`),
    '  rolloutSucceed --> [*]',
    '  rolloutFailed --> [*]',
    '```',
    '',
    '| from | event | to | when |',
    '|---|---|---|---|',
    ...singleTransitions.map((arrow) => row(positionText(arrow.from, arrow.fromBatch), arrow)),
    ...mergedTransitions.map(({ arrow }) => row(`\`${arrow.from}\`, any batch state`, arrow)),
  ].join('\n');
}

/** Arrows that leave every state of a batch for the same reason are merged. */
const mergedTransitions = Object.values(
  Object.groupBy(transitions.filter(leavesAnyBatch), ({ event }) => event),
).flatMap((arrows = []) => (arrows[0] === undefined ? [] : [{ arrow: arrows[0] }]));
const singleTransitions = transitions.filter((arrow) => !leavesAnyBatch(arrow));

function leavesAnyBatch({ from, event }: Transition): boolean {
  return from === 'rollingInBatches' && (event === 'RollingModifiedEvent' || event === 'RollingDeletedEvent');
}

function isInside({ from, to }: Transition): boolean {
  return from === 'rollingInBatches' && to === 'rollingInBatches';
}

function edgeOf({ from, fromBatch, to }: Transition): string {
  return `${fromBatch ?? from} --> ${to}`;
}

function row(from: string, { event, to, toBatch, effect, when }: Transition): string {
  const also = effect === undefined ? '' : `, ${effect}`;
  return `| ${from} | ${event} | ${positionText(to, to === 'rollingInBatches' ? toBatch : undefined)}${also} | ${when} |`;
}

function positionText(rolling: Position['rolling'], batch: Position['batch'] | undefined): string {
  return batch === undefined ? `\`${rolling}\`` : `\`${rolling}\` / \`${batch}\``;
}
