export { serveBackChannelLogout as POST } from '@/server/http/sign-in';
