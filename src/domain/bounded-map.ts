import { LRUCache } from 'lru-cache';

/**
 * A map of at most `most` entries that forgets those unused longest. It grows as it is filled: told
 * its `max`, the cache would lay out room for all of them at once, tens of milliseconds of every start.
 */
export function boundedMap<Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
