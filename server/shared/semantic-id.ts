import { hash } from 'node:crypto';
import { semanticText } from '@/lib/diff/normalize';
import type { Template } from '@/lib/history/workload';

/** Equal ones mean semantically equal templates: {@link TemplateFacts.semanticId}. */
export function semanticIdOf(template: Template): string {
  return hash('sha256', semanticText(template), 'base64url');
}
