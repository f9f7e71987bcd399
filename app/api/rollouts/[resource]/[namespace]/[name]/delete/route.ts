import { rolloutActionRoute } from '@/app/api/rollouts/action-route';

export const POST = rolloutActionRoute('delete');
