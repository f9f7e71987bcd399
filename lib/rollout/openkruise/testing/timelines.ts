/*
 * What real controllers wrote into the status of a Rollout, one line for each combination that they passed:
 * phase, reason of Progressing, status of Succeeded, step, next step, step state, finalising step, rollout
 * id, updated revision, stable revision, pod-template-hash, updated and ready pods.
 */
export interface Line {
  phase: string;
  progressing: string;
  succeeded: string;
  step: number;
  next: number;
  state: string;
  finalising: string;
  id: string;
  updated: string;
  stable: string;
  hash: string;
  pods: number;
  ready: number;
}

const COLUMNS =
  'phase progressing succeeded step next state finalising id updated stable hash pods ready'.split(' ');
const NUMBERS = ['step', 'next', 'pods', 'ready'];

export const canaryCompleted = readLines(`
Healthy - - 3 -1 Completed - 5997dfd787 5997dfd787 7c579f75b8 - 0 0
Progressing Initializing - 3 -1 Completed - 5997dfd787 5997dfd787 7c579f75b8 - 0 0
Progressing Initializing - 1 2 BeforeStepUpgrade - 575c46c68 575c46c68 7c579f75b8 - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - 575c46c68 575c46c68 7c579f75b8 - 0 0
Progressing InRolling - 1 2 StepUpgrade - 575c46c68 575c46c68 7c579f75b8 - 0 0
Progressing InRolling - 1 2 StepUpgrade - 575c46c68 575c46c68 7c579f75b8 749d76b7f 1 1
Progressing InRolling - 1 2 StepTrafficRouting - 575c46c68 575c46c68 7c579f75b8 749d76b7f 1 1
Progressing InRolling - 1 2 StepPaused - 575c46c68 575c46c68 7c579f75b8 749d76b7f 1 1
Progressing InRolling - 2 3 StepUpgrade - 575c46c68 575c46c68 7c579f75b8 749d76b7f 3 3
Progressing InRolling - 2 3 StepTrafficRouting - 575c46c68 575c46c68 7c579f75b8 749d76b7f 3 3
Progressing InRolling - 2 3 StepPaused - 575c46c68 575c46c68 7c579f75b8 749d76b7f 3 3
Progressing InRolling - 3 -1 StepUpgrade - 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing InRolling - 3 -1 StepTrafficRouting - 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Finalising - 3 -1 Completed RestoreStableService 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Finalising - 3 -1 Completed FinalisingStepRouteTrafficToStable 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Finalising - 3 -1 Completed RemoveCanaryService 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Finalising - 3 -1 Completed ResumeWorkload 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Finalising - 3 -1 Completed ReleaseWorkloadControl 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Healthy Completed True 3 -1 Completed END 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
`);

export const canaryRolledBack = readLines(`
Healthy Completed True 3 -1 Completed END 575c46c68 575c46c68 7c579f75b8 749d76b7f 5 5
Progressing Initializing - 1 2 BeforeStepUpgrade - 775fc5d689 775fc5d689 749d76b7f - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - 775fc5d689 775fc5d689 749d76b7f - 0 0
Progressing InRolling - 1 2 StepUpgrade - 775fc5d689 775fc5d689 749d76b7f - 0 0
Progressing InRolling - 1 2 StepUpgrade - 775fc5d689 775fc5d689 749d76b7f 84d4dd8b 1 1
Progressing InRolling - 1 2 StepTrafficRouting - 775fc5d689 775fc5d689 749d76b7f 84d4dd8b 1 1
Progressing InRolling - 1 2 StepPaused - 775fc5d689 775fc5d689 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused FinalisingStepRouteTrafficToStable rollback-575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused FinalisingStepRouteTrafficToStable 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused ResumeWorkload 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused ReleaseWorkloadControl 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused RestoreStableService 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Progressing Cancelling - 1 2 StepPaused RemoveCanaryService 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
Healthy Completed False 1 2 StepPaused END 575c46c68 575c46c68 749d76b7f 84d4dd8b 1 1
`);

export const partitionWithoutTraffic = readLines(`
Healthy - - 3 -1 Completed - 757d9cd94f 757d9cd94f - - 0 0
Progressing Initializing - 1 2 BeforeStepUpgrade - 554bdf5898 554bdf5898 6f86847bb - 0 0
Progressing InRolling - 1 2 StepUpgrade - 554bdf5898 554bdf5898 6f86847bb - 0 0
Progressing InRolling - 1 2 StepUpgrade - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 1 1
Progressing InRolling - 1 2 StepTrafficRouting - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 1 1
Progressing InRolling - 1 2 StepPaused - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 1 1
Progressing InRolling - 2 3 StepUpgrade - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 2 2
Progressing InRolling - 2 3 StepPaused - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 2 2
Progressing InRolling - 3 -1 BeforeStepUpgrade - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 2 2
Progressing InRolling - 3 -1 StepUpgrade - 554bdf5898 554bdf5898 6f86847bb 554bdf5898 4 4
Progressing Finalising - 3 -1 Completed ResumeWorkload 554bdf5898 554bdf5898 6f86847bb 554bdf5898 4 4
Healthy Completed True 3 -1 Completed END 554bdf5898 554bdf5898 6f86847bb 554bdf5898 4 4
`);

export const cloneSetCompleted = readLines(`
Healthy - - 3 -1 Completed - 579b48ff84 579b48ff84 579b48ff84 579b48ff84 0 0
Progressing Initializing - 3 -1 Completed - 579b48ff84 579b48ff84 579b48ff84 579b48ff84 0 0
Progressing Initializing - 1 2 BeforeStepUpgrade - fc9597d4f fc9597d4f 579b48ff84 - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 0 0
Progressing InRolling - 1 2 StepUpgrade - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 1 1
Progressing InRolling - 1 2 StepTrafficRouting - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 1 1
Progressing InRolling - 1 2 StepPaused - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 1 1
Progressing InRolling - 2 3 BeforeStepUpgrade - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 1 1
Progressing InRolling - 2 3 StepUpgrade - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 3 3
Progressing InRolling - 2 3 StepPaused - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 3 3
Progressing InRolling - 3 -1 StepUpgrade - fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 5 4
Progressing Finalising - 3 -1 Completed ResumeWorkload fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 5 5
Healthy Completed True 3 -1 Completed END fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 5 5
`);

export const cloneSetJump = readLines(`
Healthy Completed True 3 -1 Completed END fc9597d4f fc9597d4f 579b48ff84 fc9597d4f 5 5
Healthy Completed True 3 -1 Completed END rel-1 fc9597d4f 579b48ff84 fc9597d4f 5 5
Progressing Initializing - 1 2 BeforeStepUpgrade - rel-1 5c766bb65d fc9597d4f - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - rel-1 5c766bb65d fc9597d4f 5c766bb65d 0 0
Progressing InRolling - 1 2 StepUpgrade - rel-1 5c766bb65d fc9597d4f 5c766bb65d 1 1
Progressing InRolling - 1 2 StepTrafficRouting - rel-1 5c766bb65d fc9597d4f 5c766bb65d 1 1
Progressing InRolling - 3 -1 BeforeStepUpgrade - rel-1 5c766bb65d fc9597d4f 5c766bb65d 1 1
Progressing InRolling - 3 -1 StepUpgrade - rel-1 5c766bb65d fc9597d4f 5c766bb65d 5 5
Progressing Finalising - 3 -1 Completed RemoveCanaryService rel-1 5c766bb65d fc9597d4f 5c766bb65d 5 5
Progressing Finalising - 3 -1 Completed ResumeWorkload rel-1 5c766bb65d fc9597d4f 5c766bb65d 5 5
Healthy Completed True 3 -1 Completed END rel-1 5c766bb65d fc9597d4f 5c766bb65d 5 5
Progressing Initializing - 1 2 BeforeStepUpgrade - rel-1 6f8ccf87ff 5c766bb65d - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 0 0
Progressing InRolling - 1 2 StepUpgrade - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 1 1
Progressing InRolling - 1 2 StepTrafficRouting - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 1 1
Progressing InRolling - 2 3 BeforeStepUpgrade - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 1 1
Progressing InRolling - 2 3 StepUpgrade - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 3 3
Progressing InRolling - 2 3 StepTrafficRouting - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 3 3
Progressing InRolling - 3 -1 StepUpgrade - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 5 5
Progressing InRolling - 3 -1 Completed - rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 5 5
Progressing Finalising - 3 -1 Completed ResumeWorkload rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 5 5
Healthy Completed True 3 -1 Completed END rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 5 5
Terminating Completed True 3 -1 Completed END rel-1 6f8ccf87ff 5c766bb65d 6f8ccf87ff 5 5
`);

export const gateway = readLines(`
Healthy - - 2 -1 Completed - 77c7994dd8 77c7994dd8 77c7994dd8 77c7994dd8 0 0
Progressing Initializing - 2 -1 Completed - 77c7994dd8 77c7994dd8 77c7994dd8 77c7994dd8 0 0
Progressing Initializing - 1 2 BeforeStepUpgrade - 68bcd79f7c 68bcd79f7c 77c7994dd8 - 0 0
Progressing InRolling - 1 2 BeforeStepUpgrade - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 0 0
Progressing InRolling - 1 2 StepUpgrade - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 2 2
Progressing InRolling - 1 2 StepTrafficRouting - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 2 2
Progressing InRolling - 1 2 StepPaused - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 2 2
Progressing InRolling - 2 -1 BeforeStepUpgrade - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 2 2
Progressing InRolling - 2 -1 StepUpgrade - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 3 3
Progressing InRolling - 2 -1 StepPaused - 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 3 3
Progressing Finalising - 2 -1 Completed ResumeWorkload 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 3 3
Healthy Completed True 2 -1 Completed END 68bcd79f7c 68bcd79f7c 77c7994dd8 68bcd79f7c 3 3
`);

/** A row for each line; a dash stands for an empty text. */
function readLines(table: string): readonly Line[] {
  return table.trim().split('\n').map(readLine);
}

export function readLine(row: string): Line {
  const members = row.split(' ').map((text, column) => {
    const name = COLUMNS[column] ?? '';
    const value = text === '-' ? '' : text;
    return [name, NUMBERS.includes(name) ? Number(value) : value];
  });
  return Object.fromEntries(members) as Line;
}
