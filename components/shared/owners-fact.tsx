import { Fact } from '@/components/ui/facts';
import { ExternalLink } from '@/components/ui/link';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import type { Link } from '@/lib/api/common';
import type { OwnerItem } from '@/lib/api/owner';

/** What manages a workload, and what that does to a rollback; nothing without an owner. */
export function OwnersFact({
  owners,
  links = [],
}: {
  owners: readonly OwnerItem[];
  links?: readonly Link[];
}) {
  if (owners.length === 0) return null;
  return (
    <Fact label="Managed by" wide>
      {owners.map((owner) => (
        <Owner
          key={`${owner.tool} ${owner.noun} ${owner.name}`}
          owner={owner}
          link={ownerLink(links, owner)}
        />
      ))}
    </Fact>
  );
}

/**
 * "Argo CD application shop-checkout", as a link where one to the tool is configured, and what it does to a rollback. The
 * title has what shows it, and how to keep a rollback.
 */
function Owner({
  owner: { tool, noun, name, evidence, note, advice },
  link,
}: {
  owner: OwnerItem;
  link: Link | undefined;
}) {
  return (
    <span title={`${advice} Shown by: ${evidence}.`} className="[overflow-wrap:anywhere]">
      {tool}
      {name !== null && ` ${noun}`.trimEnd()}
      {name !== null && ' '}
      {name !== null && link === undefined && <span className="literal">{name}</span>}
      {link !== undefined && <ExternalLink href={link.url}>{name ?? 'Open'}</ExternalLink>}
      {': '}
      <span className="text-ink-2">
        <LocalizedTimesText text={note} />
      </span>
    </span>
  );
}

/** The configured link that carries the name of the tool. */
export function ownerLink(
  links: readonly Link[],
  { tool, name }: Pick<OwnerItem, 'tool' | 'name'>,
): Link | undefined {
  return name === null ? undefined : links.find(({ label }) => label === tool);
}
