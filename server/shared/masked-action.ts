import 'server-only';
import { type Action, type ArchivedAction } from '@/lib/api/action';
import { type Mask } from '@/server/shared/mask';

/** An action for display: people give its reason, and its message quotes the cluster. */
export function maskedAction<Given extends Pick<Action, 'reason' | 'message'>>(action: Given, mask: Mask) {
  return { ...action, reason: mask.text(action.reason), message: mask.text(action.message) };
}

/** The same with what the API server said, and why it was refused. */
export function maskedArchivedAction<Given extends ArchivedAction>(archived: Given, mask: Mask) {
  const { action, apiMessage, findings } = archived;
  return {
    ...archived,
    action: maskedAction(action, mask),
    apiMessage: mask.text(apiMessage),
    findings: findings.map((finding) => ({ ...finding, message: mask.text(finding.message) })),
  };
}
