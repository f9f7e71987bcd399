import {
  badRequest,
  type Cause,
  forbiddenField,
  invalid,
  unsupported,
} from '@/sandbox/api/objects/api-status';

const FIELD = 'resourceVersionMatch';

/**
 * Throws ApiStatus on parameters of a list that contradict each other: 422, and 400 where upstream answers that.
 * https://github.com/kubernetes/apimachinery/blob/master/pkg/apis/meta/internalversion/validation/validation.go
 */
export function assertListOptions(query: URLSearchParams): void {
  const { match, version, token } = read(query);
  if (token !== '' && match === '' && version !== '' && version !== '0')
    throw badRequest('specifying resource version is not allowed when using continue');
  refuse(match === '' ? [] : [...matchCauses(match, version, token)]);
}

/** The same for a watch, which may start with the initial events. */
export function assertWatchOptions(query: URLSearchParams): void {
  const { match } = read(query);
  const sendsInitial = query.has('sendInitialEvents');
  if (sendsInitial && match !== 'NotOlderThan')
    refuse([
      forbiddenField(FIELD, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    ]);
  if (!sendsInitial && match !== '')
    refuse([
      forbiddenField(
        FIELD,
        'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      ),
    ]);
}

function read(query: URLSearchParams) {
  return {
    match: query.get(FIELD) ?? '',
    version: query.get('resourceVersion') ?? '',
    token: query.get('continue') ?? '',
  };
}

function matchCauses(match: string, version: string, token: string): Cause[] {
  if (token !== '')
    return [forbiddenField(FIELD, 'resourceVersionMatch is forbidden when continue is provided')];
  if (version === '')
    return [forbiddenField(FIELD, 'resourceVersionMatch is forbidden unless resourceVersion is provided')];
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [unsupported(FIELD, match, ['Exact', 'NotOlderThan', ''])];
  if (match === 'Exact' && version === '0')
    return [forbiddenField(FIELD, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')];

  return [];
}

function refuse(causes: Cause[]): void {
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
}
