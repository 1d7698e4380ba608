import { useState } from 'react';
import { useStatus } from '../../lib/site/status.ts';
import own from './logo.svg';

/** The site's logo, or the product's own: two paths in, one path out. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  const logo = useStatus()?.logo || own;
  const [broken, setBroken] = useState('');
  const shown = logo === broken ? own : logo;
  return <img src={shown} width={size} height={size} alt="" onError={() => setBroken(shown)} />;
}
