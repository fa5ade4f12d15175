/*
 * search.js: searches index.js, which is loaded when somebody searches. An entry of
 * the index is a section of a page: [address, page, heading, text].
 */
"use strict";
(function () {
	const root = document.body.dataset.root;
	const input = document.getElementById("search");
	const list = document.getElementById("found");
	let loading = false;

	function load() {
		if (loading)
			return;
		loading = true;
		const script = document.createElement("script");
		script.src = root + "index.js";
		script.onload = show;
		document.head.append(script);
	}

	/* How well a section matches: 0 if it lacks a word. */
	function score([, page, heading, text], words) {
		let sum = 0;

		for (const word of words) {
			const count = text.toLowerCase().split(word).length - 1;

			if (count === 0)
				return 0;
			sum += Math.min(count, 5) +
				(heading.toLowerCase().includes(word) ? 10 : 0) +
				(page.toLowerCase().includes(word) ? 3 : 0);
		}
		return sum;
	}

	/* The text around the first word, with all words marked. */
	function excerpt(text, words) {
		const at = text.toLowerCase().indexOf(words[0]);
		const begin = Math.max(0, at - 40);
		const piece = text.slice(begin, begin + 140);
		const span = document.createElement("span");
		const pattern = new RegExp("(" + words.map((word) =>
			word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "i");

		piece.split(pattern).forEach((part, i) => {
			const piece = document.createElement(i % 2 ? "mark" : "i");

			piece.textContent = part;
			span.append(piece);
		});
		return span;
	}

	function item([address, page, heading, text], words) {
		const link = document.createElement("a");
		const title = document.createElement("b");
		const element = document.createElement("li");

		title.textContent = page === heading ? page : page + ": " + heading;
		link.href = root + address;
		link.append(title, excerpt(text, words));
		element.append(link);
		return element;
	}

	function show() {
		const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);

		list.hidden = !words.length || typeof searchIndex === "undefined";
		if (list.hidden)
			return;
		const found = searchIndex.map((entry) => [score(entry, words), entry])
			.filter(([points]) => points > 0)
			.sort((a, b) => b[0] - a[0]).slice(0, 12);

		list.replaceChildren(...found.map(([, entry]) => item(entry, words)));
		if (!found.length)
			list.textContent = "Nothing found.";
	}

	input.addEventListener("focus", load);
	input.addEventListener("input", () => { load(); show(); });
	document.addEventListener("keydown", (event) => {
		if (event.key === "/" && document.activeElement !== input) {
			event.preventDefault();
			input.focus();
		} else if (event.key === "Escape") {
			list.hidden = true;
			input.blur();
		}
	});
	/* An address such as index.html?q=slurm searches at once. */
	input.value = new URLSearchParams(location.search).get("q") || "";
	if (input.value)
		load();
})();
