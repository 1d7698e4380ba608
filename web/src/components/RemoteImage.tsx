import { useState } from 'react';

interface RemoteImageProps {
  readonly address: string | undefined;
  readonly text: string | undefined;
}

/** An image of a text. Where the page may not load it, or it is gone, a link to it. */
export function RemoteImage({ address = '', text = '' }: RemoteImageProps) {
  const [broken, setBroken] = useState('');
  if (address !== broken)
    return <img src={address} alt={text} onError={() => setBroken(address)} />;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      {text || address}
    </a>
  );
}
