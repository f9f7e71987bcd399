import { type Action } from '@/lib/api/actions';

type Titled = Pick<Action, 'action' | 'state' | 'to' | 'name' | 'step' | 'group' | 'unanswered'>;

/** What an action is doing or did, in a few words with a full stop; accepted is visibly not done. */
export function stripTitle(action: Titled, noun: 'step' | 'batch' = 'step'): string {
  const [asked, going, done] = words(action, noun);
  switch (action.state) {
    case 'accepted':
      return isUnconfirmed(action) ? `${asked} got no answer.` : `${going}.`;
    case 'following':
      return `${going}.`;
    case 'done':
      return `${done}.`;
    case 'failed':
      return `${asked} has not got there.`;
    case 'refused':
      return `${asked} was refused.`;
    default:
      return action.state satisfies never;
  }
}

/** Whether neither the API server nor the cluster has shown so far that it was written. */
export function isUnconfirmed({ state, unanswered }: Pick<Action, 'state' | 'unanswered'>): boolean {
  return state === 'accepted' && unanswered === true;
}

function words({ action, to, name, step, group }: Titled, noun: 'step' | 'batch'): [string, string, string] {
  const target = to ?? 'an earlier revision';
  switch (action) {
    case 'rollback':
      return [`The rollback to ${target}`, `Rolling back to ${target}`, `Rolled back to ${target}`];
    case 'restart':
      return [`The restart of ${name}`, `Restarting ${name}`, `Restarted ${name}`];
    case 'pause':
      return [`The pause of ${name}`, `Pausing ${name}`, `Paused ${name}`];
    case 'resume':
      return [`Resuming ${name}`, `Resuming ${name}`, `Resumed ${name}`];
    case 'partition':
      return ['The move of the partition', 'Moving the partition', 'Moved the partition'];
    case 'deletePod':
      if (group !== undefined)
        return [`The restart of group ${group}`, `Restarting group ${group}`, `Restarted group ${group}`];
      return ['The replacement of the pod', 'Replacing the pod', 'Replaced the pod'];
    case 'approve':
      return [
        `The approval of ${noun} ${step?.from ?? '?'}`,
        `Approving ${noun} ${step?.from ?? '?'}`,
        `Approved ${noun} ${step?.from ?? '?'}`,
      ];
    case 'jump':
      return [
        `The jump to step ${step?.to ?? '?'}`,
        `Going to step ${step?.to ?? '?'}`,
        `Went to step ${step?.to ?? '?'}`,
      ];
    case 'disable':
      return [`Disabling ${name}`, `Disabling ${name}`, `Disabled ${name}`];
    case 'enable':
      return [`Enabling ${name}`, `Enabling ${name}`, `Enabled ${name}`];
    case 'promoteFull':
      return [`The promotion of ${name}`, `Promoting ${name} fully`, `Promoted ${name} fully`];
    case 'abort':
      return [`The abort of ${name}`, `Aborting the release of ${name}`, `Aborted the release of ${name}`];
    case 'retry':
      return [
        `The retry of ${name}`,
        `Retrying the release of ${name}`,
        `Began the release of ${name} again`,
      ];
    case 'delete':
      return [`The deletion of ${name}`, `Deleting ${name}`, `Deleted ${name}`];
    default:
      return action satisfies never;
  }
}
