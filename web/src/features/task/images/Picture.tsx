import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';

interface PictureProps {
  /** '' while there is none. */
  readonly address: string;
  /** Of the icon in its place. */
  readonly iconSize: number;
}

/** A drawing's picture; upstreams keep them for a while only, so it may be gone. */
export function Picture({ address, iconSize }: PictureProps) {
  const [gone, setGone] = useState('');
  if (address === '') return <IconPhoto size={iconSize} color="var(--series-other)" aria-hidden />;
  if (address === gone)
    return <IconPhotoOff size={iconSize} color="var(--series-other)" aria-hidden />;
  return <img src={address} alt="" loading="lazy" onError={() => setGone(address)} />;
}
