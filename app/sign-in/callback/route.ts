export { serveCallback as GET } from '@/server/http/sign-in';
