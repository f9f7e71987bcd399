import 'server-only';
import { type Action } from '@/lib/api/action';
import { type Mask } from '@/server/shared/mask';

/** An action for display: people give its reason, and its message quotes the cluster. */
export function maskedAction<Given extends Pick<Action, 'reason' | 'message'>>(action: Given, mask: Mask) {
  return { ...action, reason: mask.text(action.reason), message: mask.text(action.message) };
}
