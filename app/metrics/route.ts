export { serve as GET } from '@/server/http/router';
