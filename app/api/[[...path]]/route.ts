import { serve } from '@/server/http/router';

/** Next answers HEAD by GET. */
export { serve as GET, serve as POST, serve as PUT, serve as PATCH, serve as DELETE, serve as OPTIONS };
