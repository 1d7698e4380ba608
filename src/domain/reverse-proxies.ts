/** Reverse proxies by the headers in which they report the client. */
export const REVERSE_PROXIES = ['nginx', 'cloudflare', 'caddy', 'haproxy', 'alb', 'azure'] as const;

export type ReverseProxy = (typeof REVERSE_PROXIES)[number];
