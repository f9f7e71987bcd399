export { serveSignIn as GET } from '@/server/http/sign-in';
