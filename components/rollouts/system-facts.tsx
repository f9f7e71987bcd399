import { systemObject } from '@/components/rollouts/rollout-labels';
import { Fact, Facts } from '@/components/ui/facts';
import { RelativeTime } from '@/components/ui/time';
import { Table, Tbody, Td, Th, Thead, Tr, RowHead } from '@/components/ui/table';
import type { RolloutItem } from '@/lib/api/rollouts';

/** The same rollout in the terms of the system's own API, with its objects; folded, because few need it. */
export function SystemFacts({ rollout }: { rollout: RolloutItem }) {
  const { phase, reported, run, revisions, system, routes, auxiliaries, relatedObjects } = rollout;
  return (
    <details className="pt-6">
      <summary className="w-fit cursor-pointer rounded-2 max-desk:py-2">
        <h2 className="ml-1 inline text-lead font-semibold tracking-[-0.011em]">Raw status</h2>
        <span className="ml-3 text-small text-ink-3">
          {systemObject(system)}, as its controller wrote it; messages can be outdated
        </span>
      </summary>
      <Facts className="mt-2!">
        <Fact label="Phase">
          <Literal>{phase === '' ? 'empty' : phase}</Literal>
        </Fact>
        <Fact label="Step state">
          <Literal>{reported.stepState ?? 'none'}</Literal>
        </Fact>
        <Fact label="Rollout ID">
          <Literal>{run.id ?? 'none'}</Literal>
        </Fact>
        <Fact label="Stable revision">
          <Literal>{revisions.stable?.hash ?? 'none'}</Literal>
        </Fact>
        <Fact label="Updated revision">
          <Literal>{revisions.updated?.hash ?? 'none'}</Literal>
        </Fact>
        {reported.message !== null && (
          <Fact label="Message" wide>
            <span className="[overflow-wrap:anywhere]">{reported.message}</span>
          </Fact>
        )}
      </Facts>
      {(relatedObjects.length > 0 || routes.length > 0 || auxiliaries.length > 0) && (
        <Facts className="mt-0! border-t-0!">
          {relatedObjects.map(({ kind, name, phase: at, message }) => (
            <Fact key={`${kind} ${name}`} label={kind} wide>
              <Literal>{name}</Literal>
              <span className="text-ink-2 [overflow-wrap:anywhere]">
                {[at, message].filter((part) => part !== null && part !== '').join(': ')}
              </span>
            </Fact>
          ))}
          {auxiliaries.map(({ resource, name }) => (
            <Fact key={`${resource} ${name}`} label="Created by this rollout" wide>
              <Literal>
                {resource} {name}
              </Literal>
            </Fact>
          ))}
          {routes.map(({ kind, name }) => (
            <Fact key={`${kind} ${name}`} label={`Traffic via ${kind}`}>
              <Literal>{name}</Literal>
            </Fact>
          ))}
        </Facts>
      )}
      {reported.conditions.length > 0 && (
        <Table
          label="Conditions of the Rollout"
          columns={['15%', '10%', '17%', 'auto', '12%']}
          className="mt-1"
        >
          <Thead>
            <Th>Condition</Th>
            <Th>Status</Th>
            <Th>Reason</Th>
            <Th>Message</Th>
            <Th numeric>Changed</Th>
          </Thead>
          <Tbody>
            {reported.conditions.map((condition) => (
              <Tr
                key={condition.type}
                className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2"
              >
                <RowHead>{condition.type}</RowHead>
                <Td className="max-desk:[grid-area:1/2]">{condition.status}</Td>
                <Td className="text-ink-2">{condition.reason}</Td>
                <Td
                  className="text-ink-2 max-desk:col-span-2 max-desk:whitespace-normal"
                  title={condition.message ?? undefined}
                >
                  {condition.message}
                </Td>
                <Td numeric className="text-small text-ink-2">
                  {condition.lastTransitionTime && (
                    <RelativeTime iso={condition.lastTransitionTime} suffix="ago" />
                  )}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </details>
  );
}

function Literal({ children }: { children: React.ReactNode }) {
  return <span className="literal [overflow-wrap:anywhere]">{children}</span>;
}
