import { useStatus } from '../../lib/status.ts';
import own from './logo.svg';

/** The site's own mark, else the product's: two ways in, one way out. */
export function Logo({ size = 28 }: { readonly size?: number }) {
  const logo = useStatus()?.logo || own;
  return <img src={logo} width={size} height={size} alt="" />;
}
