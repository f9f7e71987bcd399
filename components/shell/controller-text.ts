import { type ClusterInfo } from '@/lib/api/cluster';

/** A sentence on who runs a controller that Shiplog includes. */
export function describeController({
  name,
  state,
  holder,
  problem,
}: ClusterInfo['controllers'][number]): string {
  const what = `Controller ${name}`;
  switch (state) {
    case 'starting':
      return `${what} is starting`;
    case 'leading':
      return `${what} runs in this instance of Shiplog`;
    case 'standby':
      return `${what} runs in another instance of Shiplog${holder === null ? '' : `, ${holder}`}; this one takes over if it stops`;
    case 'unknown':
      return `It is unknown whether ${name} runs${problem === null ? '' : `: ${problem}`}`;
    case 'stopped':
      return `${what} does not act${problem === null ? '' : `: ${problem}`}`;
    default:
      return state satisfies never;
  }
}
