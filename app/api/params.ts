import { z } from 'zod';
import { nameSchema, resourceIdSchema, revisionRefSchema } from '@/lib/api/common';

/** `-` means "no namespace". */
const namespaceSchema = z.union([nameSchema, z.literal('-')]);

export const noParams = z.object({});
export const workloadParams = z.object({
  resource: resourceIdSchema,
  namespace: namespaceSchema,
  name: nameSchema,
});
export const revisionParams = workloadParams.extend({ revision: revisionRefSchema });
export const podParams = workloadParams.extend({ pod: nameSchema });
export const actionParams = z.object({ id: z.uuid() });
export const recordParams = z.object({ id: z.string().min(1).max(200) });
export const commentParams = recordParams.extend({ comment: z.string().min(1).max(200) });
