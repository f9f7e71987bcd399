import { type Hide } from '@/server/shared/masking/hide';

/**
 * 40 characters of base64 with all its classes: a commit is lower case, and a path has no digits and capitals
 * in every part.
 */
const AWS_SECRET = String.raw`(?<![\w/+=.:@-])(?=[a-z0-9/+]*[A-Z])(?=[A-Z0-9/+]*[a-z])(?=[A-Za-z/+]*\d)(?![\w]*/[a-z]+/)[A-Za-z0-9][A-Za-z0-9/+]{39}(?![\w/+=.@-])`;
const KNOWN_SHAPES = new RegExp(
  [
    String.raw`\beyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*`,
    String.raw`\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bnpm_[A-Za-z0-9]{30,}`,
    String.raw`\bxox[abeprs]-[\w-]{10,}|(?<=hooks\.slack\.com/)(?:services|workflows)/[\w/]+`,
    String.raw`(?<=discord(?:app)?\.com/api/webhooks/)\d+/[\w-]+|(?<=\.webhook\.office\.com/|outlook\.office\.com/)webhook(?:b2)?/[\w@./-]+`,
    String.raw`\b[sr]k_(?:live|test)_\w{10,}|\bwhsec_[\w+/=]{10,}|\bSG\.[\w-]{10,}\.[\w-]{10,}|\bhv[sbr]\.[\w-]{20,}|\bs\.[A-Za-z0-9]{24}\b`,
    String.raw`\bdo[opr]_v1_[0-9a-f]{32,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{16,}|\bdckr_(?:pat|oat)_[\w-]{16,}|\b\d{6,12}:AA[\w-]{30,}`,
    String.raw`\bglsa_\w{20,}|\bxapp-[\w-]{20,}|\bpypi-[\w-]{30,}|\bAGE-SECRET-KEY-1[A-Z0-9]{40,}|\bATATT3[\w=-]{20,}|\blin_api_\w{20,}|\bhf_[A-Za-z]{30,}|\bya29\.[\w-]{20,}`,
    AWS_SECRET,
    String.raw`\bsk-[\w-]{20,}|\bAIza[\w-]{30,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
  ].join('|'),
  'g',
);

/** The text, where tokens that services give a shape of their own are replaced. */
export function hideKnownTokens(text: string, hide: Hide): string {
  return text.replace(KNOWN_SHAPES, (value) => hide(value));
}
