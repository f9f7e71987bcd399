import { Tag } from '@/components/ui/tag';
import type { ClusterInfo } from '@/lib/api/cluster';

/** The controllers that Shiplog includes, where it runs any. */
export function ControllerTags({ controllers }: { controllers: ClusterInfo['controllers'] }) {
  return controllers.map((controller) => (
    <Tag
      key={controller.name}
      glyph="steps"
      tone={['unknown', 'stopped'].includes(controller.state) ? 'risk' : 'plain'}
      title={describeController(controller)}
      className="max-desk:hidden"
    >
      {controller.name}
    </Tag>
  ));
}

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
