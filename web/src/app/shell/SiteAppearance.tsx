import { useEffect } from 'react';
import { useStatus } from '../../lib/site/status.ts';

const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
/** The product's default icon, as loaded with the page. */
const ownPlace = icon?.getAttribute('href') ?? '';

/** Sets the site's logo as the tab icon. */
export function SiteLook() {
  const logo = useStatus()?.logo ?? '';
  useEffect(() => {
    const place = logo || ownPlace;
    // Setting the same address again would refetch it.
    if (icon === null || icon.getAttribute('href') === place) return;
    icon.href = place;
    if (logo === '') icon.type = 'image/svg+xml';
    else icon.removeAttribute('type');
  }, [logo]);
  return null;
}
