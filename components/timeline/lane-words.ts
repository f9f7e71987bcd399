import { type Lane } from '@/lib/timeline/lanes';

/** A lane for whom can't see it: "Revision 40, was 37, version 2.17.4, not live". */
export function laneWords({ number, was, version, role, pods, note }: Lane): string {
  const parts = [
    number === null ? 'Revision without a number' : `Revision ${number}`,
    ...(was.length > 0 ? [`was ${was.join(' and ')}`] : []),
    ...(version === '' ? [] : [`version ${version}`]),
    role === 'past'
      ? note
      : `${role === 'target' ? 'the target' : 'live'}, ${pods.ready} of ${pods.total} pods ready`,
  ];
  return parts.join(', ');
}
