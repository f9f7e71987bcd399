import 'server-only';
import type { Action, ArchivedAction } from '@/lib/api/action';
import type { Mask } from '@/server/shared/mask';
import { maskedName } from '@/server/shared/masked-actor';

/** An action for display: people give its reason, and its message quotes the cluster. */
export function maskedAction<Given extends Pick<Action, 'actor' | 'reason' | 'message'>>(
  action: Given,
  mask: Mask,
) {
  const { actor, reason, message } = action;
  return {
    ...action,
    actor: maskedName(actor, mask),
    reason: mask.text(reason),
    message: mask.text(message),
  };
}

/** The same with what the API server said, for whom, and why it was refused. */
export function maskedArchivedAction<Given extends ArchivedAction>(archived: Given, mask: Mask) {
  const { action, apiMessage, identity, findings } = archived;
  return {
    ...archived,
    action: maskedAction(action, mask),
    apiMessage: mask.text(apiMessage),
    identity: maskedIdentity(identity, mask),
    findings: findings.map((finding) => ({ ...finding, message: mask.text(finding.message) })),
  };
}

export function maskedIdentity(identity: ArchivedAction['identity'], mask: Mask) {
  return (
    identity && {
      user: maskedName(identity.user, mask),
      groups: identity.groups.map((group) => maskedName(group, mask)),
    }
  );
}
