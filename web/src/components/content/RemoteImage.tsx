import { useState } from 'react';

interface RemoteImageProps {
  readonly address: string | undefined;
  readonly text: string | undefined;
}

/** An image in user content. If it is blocked or missing, renders a link to it. */
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
