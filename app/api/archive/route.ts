import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { archiveAnswer } from '@/server/reads/archive-access';

export const GET = readRoute('/api/archive', noParams, noParams, ({ reads }) => archiveAnswer(reads));
