import { type ClusterInfo } from '@/lib/api/cluster';

/** A sentence on who runs a controller that Shiplog includes. */
export function describeController({
  name,
  state,
  holder,
  problem,
}: ClusterInfo['controllers'][number]): string {
  const what = `The controller ${name}`;
  switch (state) {
    case 'starting':
      return `${what} is starting`;
    case 'leading':
      return `${what} runs in this Shiplog`;
    case 'standby':
      return `${what} runs in another Shiplog${holder === null ? '' : `, ${holder}`}; this one takes over when that one is gone`;
    case 'unknown':
      return `Nobody can tell whether ${name} runs${problem === null ? '' : `: ${problem}`}`;
    default:
      return state satisfies never;
  }
}
