import { IconPhoto, IconPhotoOff } from '@tabler/icons-react';
import { useState } from 'react';

interface PictureProps {
  /** '' if there is none. */
  readonly address: string;
  /** Size of the placeholder icon. */
  readonly iconSize: number;
}

/** A task's image, which may be gone because upstreams delete them after a while. */
export function Picture({ address, iconSize }: PictureProps) {
  const [gone, setGone] = useState('');
  if (address === '') return <IconPhoto size={iconSize} color="var(--series-other)" aria-hidden />;
  if (address === gone)
    return <IconPhotoOff size={iconSize} color="var(--series-other)" aria-hidden />;
  return <img src={address} alt="" loading="lazy" onError={() => setGone(address)} />;
}
