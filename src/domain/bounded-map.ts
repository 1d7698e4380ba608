import { LRUCache } from 'lru-cache';

/**
 * A map of at most `most` entries that evicts the least recently used. It grows on demand: with
 * `max` set, the cache would preallocate all entries and add tens of milliseconds to every start.
 */
export function boundedMap<Key extends {}, Value extends {}>(most: number): LRUCache<Key, Value> {
  return new LRUCache({ maxSize: most, sizeCalculation: () => 1 });
}
