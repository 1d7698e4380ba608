/**
 * Where the console may load images from: this site, and the origins that the operator names, by option
 * or in what the site shows. An answer of a model or a message can hold the address of any image; loading it
 * would tell that address's owner who reads, and whatever the text put into the address.
 */
import type { Context } from '../context.ts';

/** Texts and addresses that every visitor sees. */
const SHOWN = [
  'ServerAddress',
  'Logo',
  'WeChatAccountQRCodeImageURL',
  'Notice',
  'HomePageContent',
  'About',
  'Footer',
  'custom_head_html',
  'global_css',
] as const;

/** A header has its limits. */
const MOST_ORIGINS = 50;
/** Only what cannot end a directive of the policy. */
const ORIGIN = /https?:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?(?![\w:.-])/gi;

/** The value of `img-src`. */
export function imageSources({ options }: Pick<Context, 'options'>): string {
  const now = options();
  const named = now.get('ImageOrigins');
  const own = ["'self'", 'data:', 'blob:'];
  if (named.includes('*')) return [...own, 'https:', 'http:'].join(' ');
  const shown = SHOWN.flatMap((key) => now.get(key).match(ORIGIN) ?? []);
  return [...own, ...new Set([...named, ...shown])].slice(0, own.length + MOST_ORIGINS).join(' ');
}
