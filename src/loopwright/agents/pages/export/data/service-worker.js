// Keeps every file of the app, so that it opens without a network. A new version replaces the old one as a whole.
const VERSION = "@version@";
const FILES = "@files@";
const CACHE = "app-" + VERSION;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith("app-") && name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const url = new URL(event.request.url);
  if (url.origin !== self.location.origin) return;
  if (url.pathname.endsWith("/")) url.pathname += "index.html";
  event.respondWith(
    caches.match(url.href, { cacheName: CACHE, ignoreSearch: true }).then((kept) => kept || fetch(event.request)),
  );
});
