import { useEffect } from 'react';
import { useStatus } from '../../lib/status.ts';

const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
/** The product's own, as the page came with it. */
const ownPlace = icon?.getAttribute('href') ?? '';

/** The site's own logo in the window's tab. */
export function SiteLook() {
  const logo = useStatus()?.logo ?? '';
  useEffect(() => {
    const place = logo || ownPlace;
    // The same address, set again, would be fetched again.
    if (icon === null || icon.getAttribute('href') === place) return;
    icon.href = place;
    if (logo === '') icon.type = 'image/svg+xml';
    else icon.removeAttribute('type');
  }, [logo]);
  return null;
}
