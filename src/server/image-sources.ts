/**
 * The origins that the console may load images from: this site, and those that the operator names
 * in an option or in public texts. A model's response or a message can contain any image URL;
 * loading it would reveal to that host who reads it and any data placed in the URL.
 */
import type { Context } from '../context.ts';

/** Options with texts and URLs that every visitor sees. */
const PUBLIC_OPTIONS = [
  'ServerAddress',
  'Logo',
  'WeChatAccountQRCodeImageURL',
  'Notice',
  'HomePageContent',
  'About',
  'legal.user_agreement',
  'legal.privacy_policy',
  'Footer',
  'custom_head_html',
  'global_css',
] as const;

/** Keeps the header within size limits. */
const MAX_ORIGINS = 50;
/** Only characters that cannot end a directive of the policy. */
const ORIGIN = /https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?(?![\w:.-])/gi;

/** Returns the value of `img-src`. */
export function imageSources({ options }: Pick<Context, 'options'>): string {
  const now = options();
  const named = now.get('ImageOrigins');
  const own = ["'self'", 'data:', 'blob:'];
  if (named.includes('*')) return [...own, 'https:', 'http:'].join(' ');
  const shown = PUBLIC_OPTIONS.flatMap((key) => now.get(key).match(ORIGIN) ?? []);
  return [...own, ...new Set([...named, ...shown])].slice(0, own.length + MAX_ORIGINS).join(' ');
}
